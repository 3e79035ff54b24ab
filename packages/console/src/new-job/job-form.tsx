import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useMemo, useState } from "react";
import type { Pipeline } from "../api/contract.ts";
import { exactText, parseExact } from "../api/exact-json.ts";
import { addJob, jobKeys, type NewJob } from "../api/jobs-api.ts";
import { ProblemError } from "../api/problem-error.ts";
import { tellFailure } from "../components/shared/tell-failure.ts";
import { formatMinute } from "../format/time.ts";
import type { NewJobStart } from "../shell/new-job-layer.ts";
import { text } from "../text/text.ts";
import { toast } from "../ui/toasts.ts";
import { checkValue } from "./check-value.ts";
import { complaintsAbout, isAbout, showComplaint } from "./complaints.ts";
import { HiddenFields } from "./hidden-fields.tsx";
import { fieldKind, fieldPointers, type JsonSchema, startValue } from "./json-schema.ts";
import { noOptions, OptionFields, optionAt, sentOptions } from "./option-fields.tsx";
import { PayloadFields } from "./payload-fields.tsx";

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
  const hasForm = fieldKind(schema) === "group";
  const [value, setValue] = useState<unknown>(() => payload ?? startValue(schema) ?? {});
  const [written, setWritten] = useState(() => exactText(payload ?? startValue(schema) ?? {}));
  const [isJson, setJson] = useState(!hasForm);
  const [options, setOptions] = useState(noOptions);
  const [isChecked, setChecked] = useState(false);
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0) showComplaint();
  }, [refusals]);

  const parsed = useMemo(() => (isJson ? parse(written) : { value }), [isJson, written, value]);
  const own =
    isChecked && parsed !== null && hasForm ? checkValue(parsed.value, schema) : new Map<string, string>();
  const complaints = new Map([...complaintsAbout(refused, "/payload"), ...own]);
  const drawn = new Set(isJson ? [] : fieldPointers(schema, value));
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
    setChecked(true);
    setRefused(new Map());
    if (parsed === null) return;
    if (hasForm && checkValue(parsed.value, schema).size > 0) {
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
        schema={schema}
        value={value}
        written={written}
        isJson={isJson}
        isWrong={parsed === null}
        complaints={complaints}
        onValue={(next) => {
          setRefused(new Map());
          setValue(next);
        }}
        onWritten={setWritten}
        onJson={(asJson) => {
          if (asJson) setWritten(exactText(value));
          else if (parsed !== null) setValue(parsed.value);
          setJson(asJson);
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

function parse(written: string): { value: unknown } | null {
  try {
    return { value: parseExact(written) };
  } catch {
    return null;
  }
}
