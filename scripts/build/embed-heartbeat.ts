import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * Puts the program of the heartbeat thread into the compiled engine as text, with all that it imports: a thread is started from
 * a file or a text, and after somebody has bundled the engine there is no such file.
 */
export async function embedHeartbeat(compiled: string): Promise<void> {
  const lease = join(compiled, "worker/lease");
  const { outputFiles } = await build({
    entryPoints: [join(lease, "heartbeat-thread.js")],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20",
    minify: true,
    legalComments: "inline",
    // Asked for only by those who have them.
    external: ["pg-native", "pg-cloudflare"],
    banner: { js: "/*! Contains pg and its parts (github.com/brianc/node-postgres), MIT License. */" },
  });
  const [program] = outputFiles;
  writeFileSync(
    join(lease, "heartbeat-program.js"),
    `const program = ${JSON.stringify(program?.text)};\nexport const heartbeatProgram = () => ({ program, isText: true, execArgv: [] });\n//# sourceMappingURL=heartbeat-program.js.map\n`,
  );
}
