import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import type { Job } from "../../api/contract.ts";
import { exactText, parseExact } from "../../api/exact-json.ts";
import { type JobWithVersion, jobKeys } from "../../api/jobs-api.ts";
import { ProblemError } from "../../api/problem-error.ts";
import { signalJob } from "../../api/waits-api.ts";
import { checkValue } from "../../new-job/check-value.ts";
import { fieldKind, type JsonSchema, startValue } from "../../new-job/json-schema.ts";
import { PayloadFields } from "../../new-job/payload-fields.tsx";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toasts.ts";
import { tellFailure } from "../shared/tell-failure.ts";

export interface SignalFormProps {
  readonly job: JobWithVersion;
  readonly signal: string;
  readonly wait: NonNullable<Job["wait"]>;
}

/** The answer that a wait asks for, made from its schema. */
export function SignalForm({ job, signal, wait }: SignalFormProps) {
  const client = useQueryClient();
  const schema = (wait.schema ?? {}) as JsonSchema;
  const hasForm = fieldKind(schema) === "group";
  const [value, setValue] = useState<unknown>(() => startValue(schema) ?? (hasForm ? {} : null));
  const [written, setWritten] = useState(() => exactText(value));
  const [isJson, setJson] = useState(!hasForm);
  const [isChecked, setChecked] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const parsed = useMemo(() => (isJson ? parse(written) : { value }), [isJson, written, value]);
  const complaints =
    isChecked && parsed !== null && hasForm ? checkValue(parsed.value, schema) : new Map<string, string>();

  const send = useMutation({
    mutationFn: (answer: unknown) => signalJob(job.id, signal, answer, job.etag),
    onSuccess: ({ answer }) =>
      toast({
        kind: "done",
        message: answer === "signalled" ? text.waits.sentToast : text.waits.keptToast,
      }),
    onError: (error) => {
      const status = error instanceof ProblemError ? error.status : 0;
      if (error instanceof ProblemError && status === 422) setRefused(error.detail);
      else if (error instanceof ProblemError && (status === 409 || status === 412)) {
        toast({ kind: "note", message: text.job.changed, detail: error.detail });
      } else tellFailure(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: jobKeys.all }),
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    setRefused(null);
    if (parsed === null || (hasForm && checkValue(parsed.value, schema).size > 0)) return;
    send.mutate(parsed.value);
  };

  return (
    <form noValidate onSubmit={submit} className="max-w-xl space-y-4 border-t pt-4">
      <PayloadFields
        legend={text.waits.answer}
        schema={schema}
        value={value}
        written={written}
        isJson={isJson}
        isWrong={parsed === null}
        complaints={complaints}
        onValue={setValue}
        onWritten={setWritten}
        onJson={(asJson) => {
          if (asJson) setWritten(exactText(value));
          else if (parsed !== null) setValue(parsed.value);
          setJson(asJson);
        }}
      />
      {refused !== null && (
        <p role="alert" className="text-table text-danger">
          {refused}
        </p>
      )}
      <Button look="primary" type="submit" isBusy={send.isPending}>
        {send.isPending ? text.waits.sending : text.waits.send}
      </Button>
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
