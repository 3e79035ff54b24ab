import { PermanentError, type StageContext } from "lockstep";
import type { BriefParts } from "../brief-parts.ts";

/** Splits a project into phases. */
export function phasesStage({ projects, writer }: Pick<BriefParts, "projects" | "writer">) {
  return async (context: StageContext<{ projectId: string; phaseCount: number }>) => {
    const { projectId, phaseCount } = context.payload;
    const project = await projects.project(projectId);
    if (project === null) throw new PermanentError(`There is no project "${projectId}".`);
    const phases = await writer.phases(project, phaseCount, context);
    await projects.savePhases(projectId, phases);
    return { projectId, projectName: project.name, phaseCount: phases.length };
  };
}
