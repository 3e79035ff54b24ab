import { fileURLToPath } from "node:url";

/** @type {import("next").NextConfig} */
export default {
  // They start threads and read SQL beside their code, which a bundle would lose.
  serverExternalPackages: ["lockstep", "@lockstep/server", "@lockstep/database", "pg"],
  turbopack: { root: fileURLToPath(new URL("../..", import.meta.url)) },
  // TypeScript 7 has no other way in.
  experimental: { useTypeScriptCli: true },
  devIndicators: false,
  poweredByHeader: false,
};
