// Prints the shapes of the methods of the official client for Node as JSON: `node triangulate.mjs PACKAGE TYPESCRIPT`.
// A shape has the types of all members by their paths, such as `senders[].id`, for what a method takes and returns.
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, typescript] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(typescript);
const program = ts.createProgram([join(folder, "dist/cjs/index.d.ts")], {
  strict: true, noLib: false, moduleResolution: ts.ModuleResolutionKind.Node10, target: ts.ScriptTarget.ES2022,
  ignoreDeprecations: "5.0", types: [],
});
const checker = program.getTypeChecker();
const DEPTH = 8; // deeper than any model is

function shape(type, path = "", found = {}, depth = 0) {
  const note = (name) => (found[path] = [...new Set([...(found[path] ?? []), name])].sort());
  if (depth > DEPTH) return found;
  if (type.isUnion()) {
    for (const part of type.types) shape(part, path, found, depth);
    return found;
  }
  const flags = type.flags;
  if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null | ts.TypeFlags.Void)) return found;
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) note("any");
  else if (flags & ts.TypeFlags.StringLike) note("string");
  else if (flags & (ts.TypeFlags.NumberLike | ts.TypeFlags.BigIntLike)) note("number");
  else if (flags & ts.TypeFlags.BooleanLike) note("boolean");
  else if (checker.isArrayType(type)) {
    note("array");
    shape(checker.getTypeArguments(type)[0], `${path}[]`, found, depth + 1);
  } else {
    note("object");
    for (const member of checker.getPropertiesOfType(type)) {
      const name = path ? `${path}.${member.name}` : member.name;
      shape(checker.getTypeOfSymbol(member), name, found, depth + 1);
    }
    if (checker.getIndexInfosOfType(type).length) shape(checker.getAnyType(), path ? `${path}.*` : "*", found, depth + 1);
  }
  return found;
}

const methods = {};
for (const source of program.getSourceFiles()) {
  const resource = /\/api\/resources\/(\w+)\/client\/Client\.d\.ts$/.exec(source.fileName)?.[1];
  if (!resource) continue;
  ts.forEachChild(source, (node) => {
    if (!ts.isClassDeclaration(node)) return;
    for (const member of node.members.filter(ts.isMethodDeclaration)) {
      const name = member.name.getText();
      const [request] = member.parameters.filter((parameter) => parameter.name.getText() === "request");
      const answer = checker.getTypeFromTypeNode(member.type.typeArguments[0]);
      methods[`${resource}.${name}`] = {
        request: request ? shape(checker.getTypeFromTypeNode(request.type)) : {},
        answer: shape(answer),
      };
    }
  });
}
console.log(JSON.stringify(methods));
