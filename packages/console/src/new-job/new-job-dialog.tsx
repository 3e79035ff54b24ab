import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { wholePipelinesQuery } from "../api/pipelines-api.ts";
import type { NewJobStart } from "../shell/new-job-layer.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { JobForm } from "./job-form.tsx";

export interface NewJobDialogProps {
  readonly start: NewJobStart;
  readonly onClose: () => void;
}

export function NewJobDialog({ start, onClose }: NewJobDialogProps) {
  const pipelines = useQuery(wholePipelinesQuery).data ?? [];
  const [chosen, setChosen] = useState(start.pipeline);
  const pipeline =
    pipelines.find(({ name }) => name === chosen) ??
    (start.pipeline === undefined ? pipelines[0] : undefined);
  const formId = useId();
  const [isAdding, setAdding] = useState(false);
  return (
    <Dialog
      title={text.newJob.title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{text.common.back}</Button>
          <Button look="primary" type="submit" form={formId} disabled={pipeline === undefined || isAdding}>
            {isAdding ? text.newJob.adding : text.newJob.add}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <label className="block">
          <span className="mb-1 block font-medium">{text.newJob.pipeline}</span>
          <select
            className="field w-full"
            value={pipeline?.name ?? ""}
            onChange={(event) => setChosen(event.target.value)}
          >
            {pipelines.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {pipeline === undefined ? (
          <p className="text-muted">{text.newJob.noPipelines}</p>
        ) : (
          <JobForm
            key={pipeline.name}
            formId={formId}
            pipeline={pipeline}
            start={pipeline.name === start.pipeline ? start : {}}
            onAdding={setAdding}
            onClose={onClose}
          />
        )}
      </div>
    </Dialog>
  );
}
