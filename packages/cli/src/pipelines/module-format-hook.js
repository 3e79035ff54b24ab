// Runs on Node's thread for module hooks.

/**
 * A project without "type": "module" has its TypeScript read as CommonJS, for which a second copy of every ES module
 * would be loaded, lockstep too: what a handler gets from that one (giveUp, PermanentError) this process would not know.
 *
 * @type {import("node:module").ResolveHook}
 */
export async function resolve(specifier, context, nextResolve) {
  const found = await nextResolve(specifier, context);
  const isOwnTypeScript = /^file:(?!.*\/node_modules\/).*\.tsx?(\?|$)/.test(found.url);
  return found.format === "commonjs" && isOwnTypeScript ? { ...found, format: "module" } : found;
}
