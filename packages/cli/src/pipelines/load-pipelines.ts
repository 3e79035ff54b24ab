import { register as registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { type AnyPipeline, definePipeline } from "lockstep";
import { CliError } from "../cli-error.ts";
import { demoPipeline } from "./demo-pipeline.ts";
import { exportedPipelines } from "./exported-pipelines.ts";
import { findPipelineFiles, shownPath } from "./find-pipeline-files.ts";
import { importFailure } from "./import-failure.ts";

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
    for (const pipeline of await pipelinesOf(path, file)) {
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

async function pipelinesOf(path: string, file: string): Promise<AnyPipeline[]> {
  const exports: object = await import(pathToFileURL(path).href).catch((thrown) => {
    throw importFailure(thrown, path, file);
  });
  const pipelines = exportedPipelines(exports);
  if (pipelines.length === 0) {
    throw refusal(
      "pipelines.none",
      `${file} exports no pipeline.`,
      "Export what definePipeline(…).stage(…) gives, singly or as an array.",
    );
  }
  const stranger = pipelines.find((pipeline) => pipeline.constructor !== ownPipeline.constructor);
  if (stranger !== undefined) {
    throw refusal(
      "pipelines.other_copy",
      `Pipeline "${stranger.name}" of ${file} comes from another copy of lockstep than this command uses.`,
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
  // After tsx, so that it is asked before.
  registerHooks(new URL("./module-format-hook.js", import.meta.url));
}

function refusal(code: string, message: string, advice: string): CliError {
  return new CliError({ exit: "usage", code, message, advice });
}
