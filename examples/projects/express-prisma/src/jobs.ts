import { createEngine, definePipeline } from "lockstep";
import { z } from "zod";
import { databaseUrl, prisma } from "./database.ts";

export const fulfilment = definePipeline("fulfilment", { payload: z.object({ order: z.number().int() }) })
  .stage("pack", async ({ payload }) => {
    const { item } = await prisma.order.findUniqueOrThrow({ where: { number: payload.order } });
    return { parcel: `a parcel with ${item}` };
  })
  .stage("send", async ({ payload, output, completeIn }) =>
    prisma.$transaction(async (tx) => {
      await tx.order.update({ where: { number: payload.order }, data: { status: "sent" } });
      return await completeIn(tx, { sent: output.parcel }); // the row and the end of the stage, or neither
    }),
  );

export const engine = createEngine({ databaseUrl, pipelines: [fulfilment] });
