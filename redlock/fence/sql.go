package fence

import (
	"context"
	"database/sql"
	"fmt"
)

// SQL for a mark in a table beside the resource, in the dialect of PostgreSQL and SQLite.
// $1 is the name of the resource and $2 the fencing token. Run AdmitSQL first in every
// transaction that reads or writes the resource: its row lock then keeps accesses in order
// until the commit.
const (
	// CreateTableSQL makes the table. PostgreSQL indexes names of up to about 2,700
	// bytes; hash longer ones.
	CreateTableSQL = `CREATE TABLE IF NOT EXISTS fence (resource TEXT PRIMARY KEY, mark BIGINT NOT NULL)`
	// AdmitSQL raises the mark. It affects one row if the token is admitted, and none
	// if it is stale.
	AdmitSQL = `INSERT INTO fence (resource, mark) VALUES ($1, $2)
ON CONFLICT (resource) DO UPDATE SET mark = excluded.mark WHERE fence.mark <= excluded.mark`
)

// Execer is the part of a *sql.Tx that [Admit] needs.
type Execer interface {
	ExecContext(ctx context.Context, query string, arguments ...any) (sql.Result, error)
}

// Admit runs [AdmitSQL]. It fails with [ErrStale], with [ErrInvalidToken] for 0 and for
// tokens beyond an SQL BIGINT, or with the database's error. Roll the transaction back after
// any error.
func Admit(ctx context.Context, transaction Execer, resource string, token uint64) error {
	if token == 0 || token > 1<<63-1 {
		return ErrInvalidToken
	}
	result, err := transaction.ExecContext(ctx, AdmitSQL, resource, int64(token))
	if err != nil {
		return err
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if rows == 0 {
		return fmt.Errorf("%w: %d on %q", ErrStale, token, resource)
	}
	return nil
}
