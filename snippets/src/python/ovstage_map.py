import numpy as np
import ovstage


# snippet: begin seam-ovstage-map | Attached mode (ovrtx 0.4): write attribute data through ovstage, which owns the exchange
# snippet: placeholders write_attribute
def write_attribute(stage, query, attribute, ordinal, rows) -> None:
    """`rows` holds one float row for each prim of the query. Rendered output is still mapped
    through ovrtx; only the attribute side belongs to ovstage."""
    with stage.map_attribute(query, attribute, ordinal=ordinal) as session:
        session.wait()
        for group in session.groups():
            # Write-only staging memory, uninitialised: every row must be filled.
            staging = np.from_dlpack(group.dlpack(0))
            for local in range(group.prim_count):
                row = group.data_row_index(local) if group.has_data_index_map else local
                staging[row] = rows[group.prim_index(local)]
            session.unmap_group(group).wait()  # commits; `staging` is invalid from here on
    # Only what lies below the write floor is seen by Renderer.step(ordinal=...).
    stage.advance_write_floor(ordinal, ovstage.Scope.ALL).wait()
# snippet: end
