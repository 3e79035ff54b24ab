import nodeModule from "node:module";
import { register as registerTypeScript } from "tsx/esm/api";
import { resolve } from "./source-condition-hook.js";

// What node --conditions=@lockstep/source --import tsx would do, for whoever runs the command of a clone by its name.
// Newer Nodes warn of hooks on a thread of their own.
const { registerHooks } = /** @type {{ registerHooks?: (hooks: object) => void }} */ (nodeModule);
if (registerHooks === undefined) nodeModule.register("./source-condition-hook.js", import.meta.url);
else registerHooks({ resolve });
registerTypeScript();
await import("./start.ts");
