// A workspace of the server, as ../scenarios/product.yaml describes it: each test has its own.
import { readFileSync } from "node:fs";

const root = process.env.MOCKSERVER_URL;
const yaml = readFileSync(new URL("../scenarios/product.yaml", import.meta.url), "utf8");

async function call(method, url, body) {
  const answer = await fetch(url, { method, body: body && JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

export class Workspace {
  // The dashboard shows the label, and finds the workspace by it.
  static async make(label) {
    return new Workspace(await call("POST", `${root}/_mock/workspaces`, { yaml, label }));
  }

  constructor({ name, url, api_key }) {
    Object.assign(this, { name, url, apiKey: api_key });
  }

  // A control call: `await mockserver.control("POST", "/clock/advance", { by: "PT16M" })`.
  control(method, path, body) {
    return call(method, `${root}/w/${this.name}/_mock${path}`, body);
  }

  // A failed test prints what went wrong and the address of its timeline, and leaves its workspace.
  async end(failed) {
    const address = `${root}/_mock/workspaces/${this.name}`;
    if (!failed) return call("DELETE", address);
    const report = await fetch(`${root}/w/${this.name}/_mock/report?format=text`);
    console.error(`${await report.text()}Timeline: ${root}/w/${this.name}/_mock/ui/`);
    return call("PATCH", address, { outcome: "failed" });
  }
}
