import type { Measurement } from "../bench/measurement.ts";
import { defineCommand } from "../command-line/command.ts";
import { CliError } from "../errors/cli-error.ts";
import { ProgressBar } from "../output/progress-bar.ts";
import { exitCode } from "../session/exit-code.ts";

export const benchCommand = defineCommand({
  name: "bench",
  summary: "Measures the queue on your own database for 15 seconds, and cleans up after itself.",
  examples: [
    ["lockstep bench", "on the database of DATABASE_URL, or of `lockstep dev` in this folder"],
    ["lockstep bench --ephemeral", "on a temporary PostgreSQL"],
    ["lockstep bench --length 60s --json", "longer, as one JSON document"],
  ],
  flags: {
    length: { type: "span", placeholder: "SPAN", sentence: "About how long it takes; 15s by default." },
    ephemeral: { type: "switch", sentence: "Use a temporary PostgreSQL." },
  },
  async run({ flags, config, io, output, signal, databaseUrl, schema: findSchema, confirm }) {
    const schema = await findSchema();
    const { runBench, benchPipeline } = await import("../bench/run-bench.ts");
    const { removeBench } = await import("@lockstep/database");
    const { createEngine } = await import("lockstep");
    const { localPostgres } = await import("../dev/local-postgres.ts");
    const postgres = flags.ephemeral
      ? await (await localPostgres()).startPostgres()
      : { url: await databaseUrl(), stop: async () => undefined };
    try {
      const engine = createEngine({ databaseUrl: postgres.url, schema, workerName: "bench", logger: null });
      try {
        if (flags.ephemeral) await engine.migrate();
        const counts = await engine.stats();
        const others = counts
          .filter(({ pipeline }) => pipeline !== benchPipeline.name)
          .reduce((sum, { jobs }) => sum + jobs, 0);
        const question = `This database has jobs of other pipelines (${others}). Measure beside them?`;
        if (others > 0 && !(await confirm(question))) {
          throw new CliError({ exit: "failed", code: "bench.refused", message: "Nothing was measured." });
        }
      } finally {
        await engine.stop();
      }
      const bar = new ProgressBar(io, {
        title: "bench",
        isRedrawn: config.isRedrawn,
        isSilent: config.talk === "quiet",
      });
      let measurements: Measurement[] = [];
      try {
        measurements = await runBench({
          databaseUrl: postgres.url,
          schema,
          lengthMs: flags.length ?? 15_000,
          clock: io.clock,
          signal,
          onProgress: (share, text) => bar.update({ share, text }),
        });
      } finally {
        bar.end();
        const removed = await removeBench({ databaseUrl: postgres.url, schema });
        output.detail(`removed ${removed} jobs`);
      }
      await output.list(measurements, [
        { title: "MEASURED", cell: ({ name }) => name },
        { title: "MEDIAN", align: "right", cell: ({ median, unit }) => shown(median, unit) },
        { title: "LEAST", align: "right", cell: ({ least, unit }) => shown(least, unit) },
        { title: "P95", align: "right", cell: ({ p95, unit }) => shown(p95, unit) },
        { title: "MOST", align: "right", cell: ({ most, unit }) => shown(most, unit) },
        { title: "", cell: ({ unit }) => unit },
        { title: "SAMPLES", align: "right", cell: ({ samples }) => String(samples) },
      ]);
      return exitCode("done");
    } finally {
      await postgres.stop();
    }
  },
});

function shown(value: number, unit: Measurement["unit"]): string {
  return unit === "ms" ? value.toFixed(2) : Math.round(value).toLocaleString("en-US");
}
