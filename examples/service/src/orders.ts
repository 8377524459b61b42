/** An order of the shop. */
export interface Order {
  readonly id: string;
  readonly item: string;
  readonly euros: number;
}

const ITEMS = ["a lamp", "a chair", "a kettle"];

/** Looks up an order. Replace it by a call of the shop's own service. */
export function findOrder(id: string): Promise<Order> {
  const number = Number(id);
  return Promise.resolve({ id, item: ITEMS[number % ITEMS.length] ?? "a lamp", euros: 20 + (number % 80) });
}

/**
 * Pays back. Replace it by a call of the payment service.
 *
 * @param key - The same when the node runs again after a crash, so that the payment service pays only once.
 */
export function payBack(order: Order, key: string): Promise<{ readonly receipt: string }> {
  return Promise.resolve({ receipt: `${order.id}-${key.slice(-8)}` });
}
