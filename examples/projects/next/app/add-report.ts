"use server";

import { redirect } from "next/navigation";
import { lockstep } from "../lib/lockstep";
import { report } from "../pipelines";

export async function addReport(form: FormData): Promise<void> {
  const { id } = await lockstep().engine.add(report, { month: String(form.get("month")) });
  redirect(`/reports/${id}`);
}
