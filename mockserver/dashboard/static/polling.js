// A page about the whole server: no stream tells what happens in all workspaces, so the page looks again by itself.

import { refresh } from "./live.js";

// Chosen: soon enough for somebody who watches, and so seldom that it costs the server nothing that could be measured.
const EVERY_MS = 3000;

setInterval(() => document.hidden || refresh(["reset"], false), EVERY_MS);
