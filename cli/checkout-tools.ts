import type { PlanDocument } from "#lib/plan/plan-document.ts";
import { toolNames } from "#lib/plan/tool-names.ts";
import type { ResourceRecord, ResourceStore } from "#lib/resource/resource-store.ts";
import { pinTools } from "#lib/service/pin-tools.ts";
import { pinnedDefinition } from "#lib/service/pinned-definition.ts";
import { fileLocalItems } from "#lib/sync/files/file-local-items.ts";
import type { LocalEntry, LocalFault, LocalItems } from "#lib/sync/local-items.ts";
import { builtinTools } from "#lib/tools/builtin/builtin-tools.ts";
import { linearInputValidator } from "#lib/tools/linear-pattern.ts";
import type { Tool } from "#lib/tools/tool.ts";
import { ToolRegistry } from "#lib/tools/tool-registry.ts";

export interface CheckoutTools {
  readonly registry: ToolRegistry;
  /** Names of calls that reach outside, which a dry run does not make. */
  readonly external: ReadonlySet<string>;
  /** Files in `tools/` that cannot be read, where a call names a tool that is nowhere else. */
  readonly faults: readonly LocalFault[];
}

/**
 * The tools that a plan calls: the built-in ones, and those of `tools/*.yaml` in a checkout as a sync would bring them to the
 * service, found by the same rules. The files are read only when a call names a tool that is not built in.
 */
export async function checkoutTools(root: string, document: PlanDocument): Promise<CheckoutTools> {
  const tools = new ToolRegistry(builtinTools());
  if ([...toolNames(document).keys()].every((name) => tools.get(name) !== undefined)) {
    return { registry: tools, external: new Set(), faults: [] };
  }
  const local = fileLocalItems({ root });
  const { entries, faults } = await local.read(["tools"]);
  const pinned = await pinTools({ tools, resources: asResources(local, entries) }, { tenant: "", document });
  const notCalled = pinned.map((tool): Tool => {
    const { description, inputSchema } = pinnedDefinition(tool);
    const run = async () => ({ output: "not called: this is a dry run" });
    return { name: tool.name, description, inputSchema, effect: "external", run };
  });
  return {
    registry: new ToolRegistry(notCalled, { below: tools, validatorOf: linearInputValidator }),
    external: new Set(pinned.map(({ name }) => name)),
    faults,
  };
}

/** What the files hold, as the service would have it after a sync. */
function asResources(
  local: Pick<LocalItems, "load">,
  entries: readonly LocalEntry[],
): Pick<ResourceStore, "get" | "list"> {
  const record = (entry: LocalEntry): Omit<ResourceRecord, "body"> => ({
    v: 1,
    tenant: "",
    ...{ kind: entry.kind, id: entry.id, version: entry.version, contentSha256: entry.contentSha256 },
    ...{ serverId: entry.serverId ?? "", revision: 1, deleted: false, updatedBy: "", updatedAtEpochMs: 0 },
  });
  return {
    async get({ kind, id }) {
      const found = entries.some((entry) => entry.id === id) ? await local.load({ kind, id }) : undefined;
      return found === undefined ? undefined : { ...record(found.entry), body: found.item };
    },
    list: async () => ({ resources: entries.toSorted(byId).map(record) }),
  };
}

const byId = (one: LocalEntry, other: LocalEntry): number =>
  Buffer.compare(Buffer.from(one.id), Buffer.from(other.id));
