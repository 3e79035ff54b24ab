// Runs on Node's thread for module hooks.

/** @type {import("node:worker_threads").MessagePort | null} */
let port = null;

/** @param {{ port: import("node:worker_threads").MessagePort }} data */
export function initialize(data) {
  port = data.port;
}

/**
 * Told before the file is read: one that cannot be compiled is among them, and it is the one that will be corrected.
 *
 * @type {import("node:module").LoadHook}
 */
export function load(url, context, nextLoad) {
  port?.postMessage(url);
  return nextLoad(url, context);
}
