import { table } from './table';

/** The C API of ovrtx. Its results are structs with a status of their own. */
export const ovrtx = table(
  'ovrtx',
  'object',
  `
ovrtx_map_render_var_output(renderer, output, desc:ovrtx_map_output_description_t, timeout, mapped*) map
ovrtx_unmap_render_var_output(renderer, mapping, sync) unmap
`,
);
