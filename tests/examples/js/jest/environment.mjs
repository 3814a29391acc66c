// Tells `afterEach` whether the test has failed, which jest itself tells no hook: `globalThis.testHasFailed`.
import { TestEnvironment } from "jest-environment-node";

export default class Environment extends TestEnvironment {
  handleTestEvent({ name }) {
    if (name === "test_start") this.global.testHasFailed = false;
    if (name === "test_fn_failure") this.global.testHasFailed = true;
  }
}
