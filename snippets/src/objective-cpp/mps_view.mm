#import <Metal/Metal.h>
#import <MetalPerformanceShaders/MetalPerformanceShaders.h>

// snippet: begin seam-mps-view | MPS matrix over a renderer-owned Metal buffer: a view that frees nothing
// snippet: placeholders viewAsMatrix
// `rowBytes` may be larger than columns x 4: rows of a rendered frame are often padded. The view
// retains the buffer and never copies it; the renderer stays the owner of the memory's content.
static MPSMatrix* viewAsMatrix(
    id<MTLBuffer> frame, NSUInteger rows, NSUInteger columns, NSUInteger rowBytes) {
  MPSMatrixDescriptor* description =
      [MPSMatrixDescriptor matrixDescriptorWithRows:rows
                                            columns:columns
                                           rowBytes:rowBytes
                                           dataType:MPSDataTypeFloat32];
  return [[MPSMatrix alloc] initWithBuffer:frame descriptor:description];
}
// snippet: end
