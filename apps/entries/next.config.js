import { fileURLToPath } from "node:url";

/** @type {import("next").NextConfig} */
export default {
  // Next bundles each route apart, and each would have a copy of its own.
  serverExternalPackages: ["lockstep", "@lockstep/server", "@lockstep/database", "pg"],
  turbopack: { root: fileURLToPath(new URL("../..", import.meta.url)) },
  // TypeScript 7 has no other way in.
  experimental: { useTypeScriptCli: true },
  devIndicators: false,
  poweredByHeader: false,
};
