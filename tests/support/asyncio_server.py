"""How servers of asyncio close."""

import asyncio


async def close(server, cut):
    """Close a server, and all connections to it; `cut` begins to close those that the server knows by now.

    Nobody is accepted from the beginning on, and who was accepted just before is waited for: Python 3.11 never closes a
    connection that is still being accepted when its server is closed.
    """
    for listener in server.sockets:
        asyncio.get_running_loop().remove_reader(listener)
    while True:
        cut()
        await asyncio.sleep(0)
        if not asyncio.all_tasks() - {asyncio.current_task()}:
            break
    server.close()
