import { uploadTree } from "#lib/client/upload-tree.ts";
import type { CountedService } from "../test/slow/counted-service.testkit.ts";
import { startCounting, type Usage } from "./usage.ts";
import type { Workload } from "./workload.ts";

/** Runs a plan on the service as a tenant of its own and counts what it used, its submission included. All must land. */
export async function countPlan(
  service: CountedService,
  { name, workload }: { readonly name: string; readonly workload: Workload },
): Promise<Usage> {
  const client = await service.clientOf(name);
  const { project, decisions } = workload;
  const { tree } = await uploadTree({ client, files: project });
  const counting = startCounting(service);
  await client.executePlan({ planId: name, plan: { projectResources: { app: { tree } }, decisions } });
  const { counts, state } = await service.frontiers.ended({ tenant: name, planId: name });
  if (state.phase !== "completed" || counts.landed !== decisions.length) {
    throw new Error(`${name}: ${state.phase}, ${counts.landed} of ${decisions.length} decisions landed`);
  }
  return counting.stop();
}
