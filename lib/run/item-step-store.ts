import type { ContentStore } from "../content/content-store.ts";
import { PlanError } from "../errors/planledger-error.ts";
import type { StepItem, StepItemStore, StepStore } from "./run-store.ts";
import type { Step } from "./step.ts";
import { decodeStep, encodeStep } from "./step-codec.ts";

const inline = 0;
const byHash = 1;
const maxInlineBytes = 300 * 1024;

/**
 * Steps over an item store: encoded, and beyond 300 KB put into the tenant's content store first, the item keeping the hash
 * alone. The first byte of an item tells which.
 */
export function itemStepStore(options: {
  readonly items: StepItemStore;
  readonly contentOf: (tenant: string) => ContentStore;
}): StepStore {
  const { items, contentOf } = options;

  async function pack(tenant: string, step: Step): Promise<Uint8Array> {
    const bytes = encodeStep(step);
    if (bytes.length <= maxInlineBytes) {
      return Buffer.concat([Uint8Array.of(inline), bytes]);
    }
    const [sha256] = await contentOf(tenant).put([bytes]);
    return Buffer.concat([Uint8Array.of(byHash), Buffer.from(sha256 ?? "", "hex")]);
  }

  async function unpack(tenant: string, item: StepItem): Promise<Step> {
    if (item.bytes[0] === inline) {
      return decodeStep(item.bytes.subarray(1));
    }
    const sha256 = Buffer.from(item.bytes.subarray(1)).toString("hex");
    const bytes = await contentOf(tenant).get(sha256);
    if (bytes === undefined) {
      throw new PlanError({
        code: "internal",
        message: `The content ${sha256} of a stored step is missing.`,
      });
    }
    return decodeStep(bytes);
  }

  return {
    async putIfAbsent(key, step) {
      const { run, from, epoch } = step;
      const bytes = await pack(key.tenant, step);
      const item = { run, from, epoch, count: step.decisions.length, bytes };
      const standing = await items.putIfAbsent(key, item);
      const ours = Buffer.compare(standing.bytes, bytes) === 0;
      return {
        step: ours ? step : await unpack(key.tenant, standing),
        storedBytes: standing.bytes.length,
      };
    },
    async get(key) {
      const item = await items.get(key);
      return item && unpack(key.tenant, item);
    },
    async range(query) {
      const found = await items.range(query);
      return Promise.all(found.map((item) => unpack(query.tenant, item)));
    },
  };
}
