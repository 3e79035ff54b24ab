import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Pipeline } from "../../api/contract.ts";
import { pipelinesQuery } from "../../api/pipelines-api.ts";
import { text } from "../../text/text.ts";
import { Panel } from "../../ui/panel.tsx";

/** A pipeline's way to its branches, and a branch's to the pipeline that has it; nothing for others. */
export function BranchLinks({ pipeline }: { readonly pipeline: Pipeline }) {
  const all = useQuery(pipelinesQuery).data ?? [];
  const branches = all.filter(({ branchOf }) => branchOf === pipeline.name);
  const names = pipeline.branchOf === null ? branches.map(({ name }) => name) : [pipeline.branchOf];
  if (names.length === 0) return null;
  return (
    <Panel title={pipeline.branchOf === null ? text.pipelines.branchesTitle : text.pipelines.branchOf}>
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {names.map((name) => (
          <li key={name}>
            <Link to="/pipelines/$name" params={{ name }} className="rounded text-primary hover:underline">
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
