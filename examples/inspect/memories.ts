import type { ItemInput, ItemStore } from "../../src/store/index.js";

/** Stores what an agent knows about its users, pages of a manual, and notes that expire. */
export async function keepMemories(store: ItemStore): Promise<void> {
  await store.putMany([...FACTS, ...PREFERENCES, ...manual(), ...NOTES]);
}

const FACTS: readonly ItemInput[] = [
  fact("ada", "allergy", "Ada is allergic to peanuts"),
  fact("ada", "travel", "Ada prefers trains to planes"),
  fact("ada", "pet", "Ada has a dog called Otto"),
  fact("bob", "travel", "Bob gets seasick on ferries"),
  fact("bob", "work", "Bob builds bridges, and works in the morning"),
];

const PREFERENCES: readonly ItemInput[] = [
  {
    namespace: ["users", "ada", "profile"],
    key: "self",
    value: { name: "Ada", city: "Graz", languages: ["de", "en"], newsletter: false },
    index: false,
  },
  {
    namespace: ["users", "bob", "profile"],
    key: "self",
    value: { name: "Bob", city: "Oslo", languages: ["nb"], since: "2025-03-01" },
    index: false,
  },
];

const NOTES: readonly ItemInput[] = ["the cups", "the refund"].map((topic, at) => ({
  namespace: ["users", "ada", "scratch"],
  key: `note-${at + 1}`,
  value: { fact: `Ada asked about ${topic}` },
  ttl: 24 * 60,
}));

function manual(): ItemInput[] {
  const pages = ["Returns", "Shipping", "Gift cards", "Repairs", "Opening hours", "Complaints"];
  return ["de", "en"].flatMap((language) =>
    pages.map((title, at) => ({
      namespace: ["manual", language],
      key: `page-${at + 1}`,
      value: {
        title,
        fact: `${title}: what the shop offers, page ${at + 1}`,
        language,
        tags: ["shop", "public"],
      },
    })),
  );
}

function fact(user: string, key: string, text: string): ItemInput {
  return { namespace: ["users", user, "memories"], key, value: { fact: text, confidence: 0.9 } };
}
