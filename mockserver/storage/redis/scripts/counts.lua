-- All counts, by name.
return {'done', redis.call('HGETALL', COUNTS)}
