import type { NextConfig } from "next";

const config: NextConfig = {
  // They run on the server only, and as they are: nothing is gained by bundling them.
  serverExternalPackages: ["lockstep", "@lockstep/server", "@lockstep/console"],
};

export default config;
