// The setup file of Vitest: the global `mockserver` is the workspace of the running test.
import { beforeEach, expect } from "vitest";
import { Workspace } from "./workspace.mjs";

beforeEach(async ({ task }) => {
  const workspace = await Workspace.make(`${task.file.name} > ${expect.getState().currentTestName}`);
  globalThis.mockserver = workspace;
  return () => workspace.end(task.result.state === "fail");
});
