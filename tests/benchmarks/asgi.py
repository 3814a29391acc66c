"""What a request costs at least: an empty ASGI application on uvicorn, configured as the mock configures it."""

import uvicorn

from mockserver.web.server.server import address, bind


async def app(scope, receive, send):
    headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"{}"})


listener = bind("127.0.0.1", 0)
print(address(listener), flush=True)
config = uvicorn.Config(
    app,
    loop="uvloop",
    http="httptools",
    ws="none",
    lifespan="off",
    log_config=None,
    access_log=False,
    server_header=False,
    proxy_headers=False,
)
uvicorn.Server(config).run(sockets=[listener])
