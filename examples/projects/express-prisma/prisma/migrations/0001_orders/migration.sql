CREATE TABLE "orders" (
    "number" INTEGER NOT NULL,
    "item" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'new',

    CONSTRAINT "orders_pkey" PRIMARY KEY ("number")
);
