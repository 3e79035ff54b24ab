import { register } from "node:module";
import { pathToFileURL } from "node:url";
import { type AnyPipeline, definePipeline } from "lockstep";
import { CliError } from "../errors/cli-error.ts";
import { demoPipeline } from "./demo-pipeline.ts";
import { exportedPipelines } from "./exported-pipelines.ts";
import { findPipelineFiles, shownPath } from "./find-pipeline-files.ts";
import { importFailure } from "./import-failure.ts";
import { asModule } from "./module-format-hook.js";
import { registerHooks } from "./module-hooks.ts";

export interface LoadedPipelines {
  readonly pipelines: readonly AnyPipeline[];
  /** As people are told; none: the demo pipeline stands in. */
  readonly files: readonly string[];
}

/** Imports the files with pipelines, TypeScript too. Without any, there is a demo. */
export async function loadPipelines(asked: readonly string[], folder: string): Promise<LoadedPipelines> {
  const files = await findPipelineFiles(asked, folder);
  if (files.length === 0) return { pipelines: [demoPipeline], files: [] };
  if (files.some((file) => /\.[cm]?tsx?$/.test(file))) await learnTypeScript();
  const homes = new Map<string, string>();
  const pipelines: AnyPipeline[] = [];
  for (const path of files) {
    const file = shownPath(path, folder);
    for (const pipeline of await pipelinesOf(path, folder)) {
      const home = homes.get(pipeline.name);
      if (home !== undefined) {
        throw refusal(
          "pipelines.twice",
          `${file} and ${home} both export a pipeline "${pipeline.name}".`,
          "Give each pipeline a name of its own.",
        );
      }
      homes.set(pipeline.name, file);
      pipelines.push(pipeline);
    }
  }
  return { pipelines, files: files.map((path) => shownPath(path, folder)) };
}

async function pipelinesOf(path: string, folder: string): Promise<AnyPipeline[]> {
  const file = shownPath(path, folder);
  const exports: object = await import(pathToFileURL(path).href).catch((thrown) => {
    throw importFailure(thrown, path, folder);
  });
  const pipelines = exportedPipelines(exports);
  if (pipelines.length === 0) {
    throw refusal(
      "pipelines.none",
      `${file} exports no pipeline.`,
      "Export what definePipeline(…).stage(…) returns, alone or in an array.",
    );
  }
  const stranger = pipelines.find((pipeline) => pipeline.constructor !== ownPipeline.constructor);
  if (stranger !== undefined) {
    throw refusal(
      "pipelines.other_copy",
      `Pipeline "${stranger.name}" of ${file} was made with a different copy of lockstep than the one this command uses.`,
      "Install the command beside it, and run that one: npm install --save-dev @lockstep/cli && npx lockstep …",
    );
  }
  return pipelines;
}

const ownPipeline = definePipeline("probe");

let hasTypeScript = false;

async function learnTypeScript(): Promise<void> {
  if (hasTypeScript) return;
  hasTypeScript = true;
  const tsx = await import("tsx/esm/api");
  tsx.register();
  // After tsx, so that it is asked before. Where Node has hooks in this thread, tsx has its own there, and those of the other come last.
  if (registerHooks === undefined) register(new URL("./module-format-hook.js", import.meta.url));
  else registerHooks({ resolve: (specifier, context, next) => asModule(next(specifier, context)) });
}

function refusal(code: string, message: string, advice: string): CliError {
  return new CliError({ exit: "usage", code, message, advice });
}
