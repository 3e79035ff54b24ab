#!/usr/bin/env node
import { existsSync } from "node:fs";

// A clone has the sources, and what was compiled of them is missing or may be old; what is installed has no sources.
const fromSource = new URL("../src/start-from-source.js", import.meta.url);
await import(existsSync(fromSource) ? fromSource.href : "../dist/start.js");
