package fence

import (
	"context"
	"database/sql"
	"fmt"
)

// SQL texts for a mark that is kept in a table beside the resource, in the
// dialect of PostgreSQL and SQLite. $1 is the resource's name, $2 the fencing
// token. Run AdmitSQL in the transaction that reads or writes the resource,
// before it does: the row lock then keeps accesses in order until the commit.
const (
	// CreateTableSQL makes the table.
	CreateTableSQL = `CREATE TABLE IF NOT EXISTS fence (resource VARCHAR(4096) PRIMARY KEY, mark BIGINT NOT NULL)`
	// AdmitSQL raises the mark. It affects one row when the token is admitted,
	// none when it is stale.
	AdmitSQL = `INSERT INTO fence (resource, mark) VALUES ($1, $2)
ON CONFLICT (resource) DO UPDATE SET mark = excluded.mark WHERE fence.mark <= excluded.mark`
)

// Execer is what Admit needs of a *sql.Tx.
type Execer interface {
	ExecContext(ctx context.Context, query string, arguments ...any) (sql.Result, error)
}

// Admit runs AdmitSQL. Errors: ErrStale, ErrInvalidToken, or the database's;
// roll the transaction back after any.
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
