"""A store of workspaces that several servers share, in Redis or Valkey, by redis-py."""

from mockserver.storage.redis.engine import Engine as Engine
