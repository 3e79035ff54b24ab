import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";

/** Splits a project into phases. */
export function phasesStage({ projects, writer }: Pick<BriefParts, "projects" | "writer">) {
  return async ({ payload, once }: StageContext<{ projectId: string; phaseCount: number }>) => {
    const { projectId, phaseCount } = payload;
    const project = await projects.project(projectId);
    if (project === null) throw new PermanentError(`There is no project "${projectId}".`);
    const phases = await once("phases", (asking) => writer.phases(project, phaseCount, asking));
    await projects.savePhases(projectId, phases);
    return { projectId, projectName: project.name, phaseCount: phases.length };
  };
}
