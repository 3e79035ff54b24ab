import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useMemo, useState } from "react";
import type { Pipeline } from "../api/contract.ts";
import { exactText, parseExact } from "../api/exact-json.ts";
import { addJob, jobKeys, type NewJob } from "../api/jobs-api.ts";
import { pipelinesQuery } from "../api/pipelines-api.ts";
import { ProblemError } from "../api/problem-error.ts";
import { tellFailure } from "../components/tell-failure.ts";
import { formatMinute } from "../format/time.ts";
import type { NewJobStart } from "../shell/new-job-layer.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { cn } from "../ui/cn.ts";
import { Dialog } from "../ui/dialog.tsx";
import { toast } from "../ui/toasts.ts";
import { checkValue } from "./check-value.ts";
import { fieldKind, type JsonSchema, startValue } from "./json-schema.ts";
import { SchemaFields } from "./schema-field.tsx";

export interface NewJobDialogProps {
  readonly start: NewJobStart;
  readonly onClose: () => void;
}

interface Options {
  readonly priority: string;
  readonly scheduledFor: string;
  readonly dedupKey: string;
  readonly owner: string;
  readonly tags: string;
}

const noOptions: Options = { priority: "", scheduledFor: "", dedupKey: "", owner: "", tags: "" };

export default function NewJobDialog({ start, onClose }: NewJobDialogProps) {
  const pipelines = useQuery(pipelinesQuery).data ?? [];
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
            payload={pipeline.name === start.pipeline ? start.payload : undefined}
            onAdding={setAdding}
            onClose={onClose}
          />
        )}
      </div>
    </Dialog>
  );
}

interface JobFormProps {
  readonly formId: string;
  readonly pipeline: Pipeline;
  readonly payload: unknown;
  readonly onAdding: (isAdding: boolean) => void;
  readonly onClose: () => void;
}

function JobForm({ formId, pipeline, payload, onAdding, onClose }: JobFormProps) {
  const client = useQueryClient();
  const schema = (pipeline.payloadSchema ?? {}) as JsonSchema;
  const hasForm = fieldKind(schema) === "group";
  const [value, setValue] = useState<unknown>(() => payload ?? startValue(schema) ?? {});
  const [written, setWritten] = useState(() => exactText(payload ?? startValue(schema) ?? {}));
  const [isJson, setJson] = useState(!hasForm);
  const [options, setOptions] = useState(noOptions);
  const [isChecked, setChecked] = useState(false);
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());

  const parsed = useMemo(() => (isJson ? parse(written) : { value }), [isJson, written, value]);
  const own =
    isChecked && parsed !== null && hasForm ? checkValue(parsed.value, schema) : new Map<string, string>();
  const complaints = new Map([...refused, ...own]);

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
      if (errors.length === 0) tellFailure(error);
      else
        setRefused(new Map(errors.map(({ pointer, detail }) => [pointer.replace(/^\/payload/, ""), detail])));
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    setRefused(new Map());
    if (parsed === null) return;
    if (hasForm && checkValue(parsed.value, schema).size > 0) {
      requestAnimationFrame(() => document.querySelector<HTMLElement>("dialog [aria-invalid=true]")?.focus());
      return;
    }
    add.mutate({ pipeline: pipeline.name, payload: parsed.value, ...sentOptions(options) });
  };

  const loose = [...complaints].filter(([pointer]) => isJson || pointer === "" || !pointer.startsWith("/"));
  return (
    <form id={formId} noValidate onSubmit={submit} className="space-y-4">
      <fieldset className="space-y-3">
        <div className="flex items-center justify-between gap-4">
          <legend className="text-sm font-semibold">{text.newJob.payload}</legend>
          {hasForm && (
            <div className="inline-flex rounded-md border border-edge/60 p-0.5">
              {[false, true].map((each) => (
                <button
                  key={String(each)}
                  type="button"
                  aria-pressed={isJson === each}
                  onClick={() => {
                    if (each) setWritten(exactText(value));
                    else if (parsed !== null) setValue(parsed.value);
                    setJson(each);
                  }}
                  className={cn(
                    "h-6 rounded px-2.5 text-xs",
                    isJson === each ? "bg-selected font-medium" : "text-muted",
                  )}
                >
                  {each ? text.newJob.asJson : text.newJob.asForm}
                </button>
              ))}
            </div>
          )}
        </div>
        {isJson ? (
          <div>
            <textarea
              aria-label={text.newJob.payload}
              aria-invalid={parsed === null || undefined}
              rows={10}
              spellCheck={false}
              className="field w-full font-mono text-xs"
              value={written}
              onChange={(event) => setWritten(event.target.value)}
            />
            {parsed === null && <p className="text-table text-danger">{text.newJob.notJson}</p>}
          </div>
        ) : (
          <SchemaFields
            schema={schema}
            value={value as Record<string, unknown>}
            onChange={(next) => {
              setRefused(new Map());
              setValue(next);
            }}
            complaints={complaints}
          />
        )}
        {loose.map(([pointer, complaint]) => (
          <p key={pointer} role="alert" className="text-table text-danger">
            {pointer !== "" && <code className="font-mono text-xs">{pointer}</code>} {complaint}
          </p>
        ))}
      </fieldset>
      <OptionFields options={options} onChange={setOptions} />
    </form>
  );
}

function OptionFields({
  options,
  onChange,
}: {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
}) {
  const fields: [name: keyof Options, label: string, hint: string | null, type: string][] = [
    ["priority", text.newJob.priority, text.newJob.priorityHint, "number"],
    ["scheduledFor", text.newJob.scheduledFor, null, "datetime-local"],
    ["dedupKey", text.newJob.dedupKey, text.newJob.dedupHint, "text"],
    ["owner", text.newJob.owner, null, "text"],
    ["tags", text.newJob.tags, text.newJob.tagsHint, "text"],
  ];
  return (
    <details className="group rounded-lg border px-3">
      <summary className="flex h-9 list-none items-center gap-2 font-medium">
        <span aria-hidden className="text-muted transition-transform group-open:rotate-90">
          ▸
        </span>
        {text.newJob.options}
      </summary>
      <div className="grid gap-3 pb-3 sm:grid-cols-2">
        {fields.map(([name, label, hint, type]) => (
          <label key={name} className="block">
            <span className="mb-1 block font-medium">{label}</span>
            <input
              type={type}
              className="field w-full"
              {...(name === "priority" ? { min: 1, max: 20 } : {})}
              value={options[name]}
              onChange={(event) => onChange({ ...options, [name]: event.target.value })}
            />
            {hint !== null && <span className="text-xs text-muted">{hint}</span>}
          </label>
        ))}
      </div>
    </details>
  );
}

function sentOptions({
  priority,
  scheduledFor,
  dedupKey,
  owner,
  tags,
}: Options): Omit<NewJob, "pipeline" | "payload"> {
  const list = tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  return {
    ...(priority === "" ? {} : { priority: Number(priority) }),
    ...(scheduledFor === "" ? {} : { scheduledFor: new Date(scheduledFor).toISOString() }),
    ...(dedupKey === "" ? {} : { dedupKey }),
    ...(owner === "" ? {} : { owner }),
    ...(list.length === 0 ? {} : { tags: list }),
  };
}

function parse(written: string): { value: unknown } | null {
  try {
    return { value: parseExact(written) };
  } catch {
    return null;
  }
}
