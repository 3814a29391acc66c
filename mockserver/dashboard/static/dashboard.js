// What every page of the dashboard does.
import "./live.js";
import "./calls.js";
import "./copying.js";
import "./times.js";
