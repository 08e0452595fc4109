// Package redlock locks named resources on a majority of independent Redis
// servers: the Redlock algorithm over go-redis, for production use.
package redlock
