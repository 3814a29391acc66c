// Runs `mockserver serve` until standard input ends: the server stops with the tests, even if they are killed.
import { spawn } from "node:child_process";

const server = spawn("mockserver", ["serve", "--port", "0", "--log-format", "off"], { stdio: ["ignore", "inherit", "inherit"] });
server.on("error", ({ message }) => console.error(`${message}; install mockserver, or set MOCKSERVER_URL to the address of a server`));
server.on("close", (status) => process.exit(status ?? 1));
process.stdin.on("end", () => server.kill()).resume();
