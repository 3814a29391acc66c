// The global setup of Vitest and Jest: starts a server for all tests, unless MOCKSERVER_URL names a running one.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export default async function start() {
  if (process.env.MOCKSERVER_URL) return;
  const server = spawn(process.execPath, [fileURLToPath(new URL("serve.mjs", import.meta.url))]);
  process.env.MOCKSERVER_URL = await new Promise((resolve, reject) => {
    let errors = "";
    server.stderr.on("data", (text) => (errors += text));
    server.stdout.once("data", (address) => resolve(String(address).trim()));
    server.on("close", () => reject(new Error(`mockserver serve did not start: ${errors.trim()}`)));
  });
  // The server ends with this process, and does not keep it from ending.
  for (const handle of [server, server.stdin, server.stdout, server.stderr]) handle.unref();
}
