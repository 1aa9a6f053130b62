# snippet: begin seam-double-buffer | Two slots and one index: the producer owns it, readers derive theirs
# snippet: placeholders DoubleBuffer
class DoubleBuffer:
    """Frame n lies in slot n % 2. `published` is the one counter; only the producer moves it."""

    def __init__(self):
        self.published = 0

    def next_write(self):
        """(slot, frame) for the producer. The slot still holds frame - 2: first let the stream
        wait until the reader's timeline has reached max(frame - 2, 0)."""
        frame = self.published + 1
        return frame % 2, frame

    def publish(self) -> None:
        """After the frame and its signal are queued. A skipped frame does not call this, so
        readers see the last good slot again."""
        self.published += 1

    def latest(self):
        """(slot, frame) for a reader: read = 1 - write, never a counter of its own.
        Frame 0 means that nothing has been published yet."""
        frame = self.published
        write_slot = (frame + 1) % 2
        return 1 - write_slot, frame
# snippet: end
