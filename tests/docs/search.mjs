/**
 * Search the built site as a browser does, with the script and the index that Sphinx made:
 * `node search.mjs SITE QUERY...` prints the pages of each query's results as JSON, the best first.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

const [site, ...queries] = process.argv.slice(2);
/** What the script takes from the page around it; nothing of it decides about the order. */
const browser = createContext({
  document: { getElementById: () => null },
  SPHINX_HIGHLIGHT_ENABLED: false,
  _: (text) => text,
  _ready: () => {},
});
browser.window = browser;
for (const script of ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"]) {
  runInContext(readFileSync(join(site, script), "utf8"), browser, { filename: script });
}

const search = runInContext("(query) => Search._performSearch(...Search._parseQuery(query))", browser);
const pages = (query) => search(query).reverse().map(([page]) => page); // the script shows them from the end
console.log(JSON.stringify(Object.fromEntries(queries.map((query) => [query, pages(query)]))));
