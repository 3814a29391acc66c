-- All values, by name.
return {'done', redis.call('HGETALL', VALUES)}
