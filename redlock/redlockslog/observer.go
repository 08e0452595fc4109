package redlockslog

import (
	"context"
	"errors"
	"log/slog"

	"redlocklab/redlock"
)

// New returns an Observer that logs to logger, or to slog.Default() if logger is nil.
func New(logger *slog.Logger) redlock.Observer {
	if logger == nil {
		logger = slog.Default()
	}
	return observer{logger: logger}
}

type observer struct{ logger *slog.Logger }

// Observe implements redlock.Observer.
func (o observer) Observe(ctx context.Context, event redlock.Event) {
	level := levelOf(event)
	if !o.logger.Enabled(ctx, level) {
		return
	}
	o.logger.LogAttrs(ctx, level, "redlock "+event.Kind.String(), attributes(event)...)
}

// levelOf returns the level of an event; see the package documentation.
func levelOf(event redlock.Event) slog.Level {
	switch event.Kind {
	case redlock.EventRound, redlock.EventAcquired, redlock.EventLeaseEnded:
		if event.Err == nil || errors.Is(event.Err, redlock.ErrContended) || errors.Is(event.Err, redlock.ErrReleased) {
			return slog.LevelDebug
		}
	}
	return slog.LevelWarn
}

// attributes returns the fields of an event that are set.
func attributes(event redlock.Event) []slog.Attr {
	var list []slog.Attr
	switch event.Kind {
	case redlock.EventRound:
		list = append(list, slog.String("operation", event.Operation.String()), slog.Duration("elapsed", event.Elapsed))
	case redlock.EventAcquired:
		list = append(list, slog.Duration("waited", event.Elapsed))
	case redlock.EventLeaseEnded:
		list = append(list, slog.Duration("held", event.Elapsed))
	}
	if len(event.Resources) > 0 {
		list = append(list, slog.Any("resources", event.Resources))
	}
	if event.TokenPrefix != "" {
		list = append(list, slog.String("token", event.TokenPrefix))
	}
	if event.Node != "" {
		list = append(list, slog.String("node", event.Node))
	}
	if event.Validity > 0 {
		name := "validity"
		if event.Kind == redlock.EventQuarantine {
			name = "quarantine"
		}
		list = append(list, slog.Duration(name, event.Validity))
	}
	if len(event.Nodes) > 0 {
		nodes := make([]slog.Attr, len(event.Nodes))
		for i, node := range event.Nodes {
			nodes[i] = slog.String(node.Node, node.Outcome.String())
		}
		list = append(list, slog.GroupAttrs("nodes", nodes...))
	}
	if event.Err != nil {
		list = append(list, slog.String("error", event.Err.Error()))
	}
	return list
}
