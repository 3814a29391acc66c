// The environment of Jest: the global `mockserver` is the workspace of the running test.
import { relative } from "node:path";
import { TestEnvironment } from "jest-environment-node";
import { Workspace } from "./workspace.mjs";

const title = ({ name, parent }) => (parent.parent ? `${title(parent)} > ${name}` : name);

export default class Environment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.file = relative(config.projectConfig.rootDir, context.testPath);
  }

  async handleTestEvent({ name, test }) {
    if (name === "test_started") this.global.mockserver = await Workspace.make(`${this.file} > ${title(test)}`);
    if (name === "test_done") await this.global.mockserver.end(test.errors.length > 0);
  }
}
