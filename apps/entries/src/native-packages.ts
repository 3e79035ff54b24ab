// In an application of your own this is `import { createEngine, … } from "lockstep"`, with the two packages named in
// serverExternalPackages. Here they are links into this repository, which Next takes for code of the application and would
// bundle; but they start a thread and read SQL beside their files. Node itself loads what is imported like this.
export const { createEngine, definePipeline, PermanentError } = await import(
  /* turbopackIgnore: true */ "lockstep"
);
export const { createServer } = await import(/* turbopackIgnore: true */ "@lockstep/server");
