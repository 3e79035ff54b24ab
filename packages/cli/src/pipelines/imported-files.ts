import { createRequire, register } from "node:module";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel } from "node:worker_threads";
import { registerHooks } from "./module-hooks.ts";

/** Tells of each file of the folder that this process imports from now on, also when a handler does so later. */
export function followImports(folder: string, onFile: (path: string) => void): { rest(): void } {
  const tell = (path: string) => {
    if (path.startsWith(`${folder}${sep}`) && !path.includes(`${sep}node_modules${sep}`)) onFile(path);
  };
  const tellUrl = (url: string) => {
    if (url.startsWith("file:")) tell(fileURLToPath(url.replace(/[?#].*$/, "")));
  };
  if (registerHooks === undefined) hearHookThread(tellUrl);
  else {
    registerHooks({
      load(url, context, next) {
        tellUrl(url);
        return next(url, context);
      },
    });
  }
  return {
    /** What a CommonJS file requires is seen by no hook, only afterwards. */
    rest() {
      for (const path of Object.keys(createRequire(import.meta.url).cache)) tell(path);
    },
  };
}

function hearHookThread(onUrl: (url: string) => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", onUrl);
  port1.unref();
  register(new URL("./imported-files-hook.js", import.meta.url), {
    data: { port: port2 },
    transferList: [port2],
  });
}
