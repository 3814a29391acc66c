-- The names of all workspaces, the one written longest ago first.
return {'done', redis.call('ZRANGE', USED, 0, -1)}
