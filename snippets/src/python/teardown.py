from contextlib import ExitStack


# snippet: begin seam-teardown | Teardown as a dependency order: one stack, a reason for each place
# snippet: placeholders run_frames
def run_frames(make_renderer, make_import, make_stream, make_texture, consume) -> None:
    """ExitStack destroys in reverse order, also after an exception and after a partial start."""
    with ExitStack() as stack:
        renderer = make_renderer()
        stack.callback(renderer.close)  # last: it owns the memory that everything below refers to
        memory = make_import(renderer)
        stack.callback(memory.close)  # before the renderer: an import refers to its allocation
        stream = make_stream()
        stack.callback(stream.close)  # after the synchronise below, when nothing is queued any more
        texture = make_texture(memory)
        stack.callback(texture.close)  # before the import: it lies in the imported memory
        stack.callback(renderer.wait_idle)  # before all destroys: frames may still be written
        stack.callback(stream.synchronize)  # first: kernels may still read the texture
        consume(renderer, texture, stream)
# snippet: end
