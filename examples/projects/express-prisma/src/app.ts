import express, { type Express } from "express";
import { z } from "zod";
import { prisma } from "./database.ts";
import { Prisma } from "./generated/prisma/client.ts";
import { engine, fulfilment } from "./jobs.ts";

const newOrder = z.object({ number: z.number().int(), item: z.string().min(1) });

export function createApp(): Express {
  const app = express();
  app.use(express.json());

  app.post("/orders", async (request, response) => {
    const order = newOrder.safeParse(request.body);
    if (!order.success) return response.status(400).json({ error: z.prettifyError(order.error) });
    try {
      const { id } = await prisma.$transaction(async (tx) => {
        const { number } = await tx.order.create({ data: order.data });
        return await engine.add(fulfilment, { order: number }, { tx }); // there exactly if the order is
      });
      return response.status(202).json({ job: id });
    } catch (error) {
      const isKnown = error instanceof Prisma.PrismaClientKnownRequestError;
      if (isKnown && error.code === "P2002")
        return response.status(409).json({ error: "There is this order." });
      throw error;
    }
  });

  app.get("/orders/:number", async (request, response) => {
    const number = z.coerce.number().int().safeParse(request.params.number);
    const order = number.success ? await prisma.order.findUnique({ where: { number: number.data } }) : null;
    if (order === null) return response.sendStatus(404);
    return response.json(order);
  });
  return app;
}
