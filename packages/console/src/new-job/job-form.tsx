import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { Pipeline } from "../api/contract.ts";
import { addJob, jobKeys, type NewJob } from "../api/jobs-api.ts";
import { ProblemError } from "../api/problem-error.ts";
import { tellFailure } from "../components/shared/tell-failure.ts";
import { formatMinute } from "../format/time.ts";
import type { NewJobStart } from "../shell/new-job-layer.ts";
import { text } from "../text/text.ts";
import { toast } from "../ui/toasts.ts";
import { complaintsAbout, isAbout, showComplaint } from "./complaints.ts";
import { HiddenFields } from "./hidden-fields.tsx";
import { fieldPointers, type JsonSchema, startValue } from "./json-schema.ts";
import { noOptions, OptionFields, optionAt, sentOptions } from "./option-fields.tsx";
import { PayloadFields } from "./payload-fields.tsx";
import { useSchemaValue } from "./use-schema-value.ts";

export interface JobFormProps {
  readonly formId: string;
  readonly pipeline: Pipeline;
  readonly start: NewJobStart;
  readonly onAdding: (isAdding: boolean) => void;
  readonly onClose: () => void;
}

/** A new job of one pipeline: its payload, its options, and what was refused of them. */
export function JobForm({ formId, pipeline, start, onAdding, onClose }: JobFormProps) {
  const { payload, leftOut = [] } = start;
  const client = useQueryClient();
  const schema = (pipeline.payloadSchema ?? {}) as JsonSchema;
  const { parsed, check, fields, ...form } = useSchemaValue(schema, payload ?? startValue(schema) ?? {});
  const [options, setOptions] = useState(noOptions);
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0) showComplaint();
  }, [refusals]);

  const complaints = new Map([...complaintsAbout(refused, "/payload"), ...form.complaints]);
  const drawn = new Set(fields.isJson ? [] : fieldPointers(schema, fields.value));
  // Whatever has no field of its own is said below them all: nothing that was refused is kept silent.
  const loose = [
    ...[...complaints].filter(([pointer]) => !drawn.has(pointer)),
    ...[...refused].filter(([pointer]) => !isAbout(pointer, "/payload") && optionAt(pointer) === null),
  ];

  const add = useMutation({
    mutationFn: (job: NewJob) => addJob(job),
    onMutate: () => onAdding(true),
    onSettled: () => onAdding(false),
    onSuccess: ({ id, created }) => {
      toast({
        kind: created ? "done" : "note",
        message: created ? text.job.addedToast : text.job.twinToast,
        detail: created ? `${pipeline.name} · ${formatMinute(new Date(), "local")}` : text.job.twinDetail,
        action: { label: text.job.view, to: `/jobs/${id}` },
      });
      void client.invalidateQueries({ queryKey: jobKeys.all });
      onClose();
    },
    onError: (error) => {
      const errors = error instanceof ProblemError ? error.errors : [];
      if (errors.length === 0) return tellFailure(error);
      setRefused(new Map(errors.map(({ pointer, detail }) => [pointer, detail])));
      setRefusals(refusals + 1);
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefused(new Map());
    const isRight = check();
    if (parsed === null) return;
    if (!isRight) {
      setRefusals(refusals + 1);
      return;
    }
    add.mutate({ pipeline: pipeline.name, payload: parsed.value, ...sentOptions(options) });
  };

  return (
    <form id={formId} noValidate onSubmit={submit} className="space-y-4">
      {leftOut.length > 0 && <HiddenFields pointers={leftOut} />}
      <PayloadFields
        legend={text.newJob.payload}
        complaints={complaints}
        {...fields}
        onValue={(next) => {
          setRefused(new Map());
          fields.onValue(next);
        }}
      />
      <OptionFields
        options={options}
        complaints={refused}
        onChange={(next) => {
          setRefused(new Map());
          setOptions(next);
        }}
      />
      {loose.map(([pointer, complaint]) => (
        <p key={pointer} role="alert" data-complaint className="text-table text-danger">
          {pointer !== "" && <code className="font-mono text-xs">{pointer}</code>} {complaint}
        </p>
      ))}
    </form>
  );
}
