#pragma once
// Stands in for Apple's <Metal/Metal.h> on machines without it: only the names that the snippets use, so that a
// compiler with ARC can check their types. It is not the real header and proves nothing about behaviour.

#define nil nullptr
typedef unsigned long NSUInteger;

__attribute__((objc_root_class)) @interface NSObject
+ (instancetype)alloc;
- (instancetype)init;
@end

typedef enum : NSUInteger { MTLResourceStorageModeShared = 0, MTLResourceStorageModePrivate = 32 } MTLResourceOptions;
typedef enum : NSUInteger { MTLCommandBufferStatusCompleted = 4, MTLCommandBufferStatusError = 5 } MTLCommandBufferStatus;

@protocol MTLBuffer
- (void *)contents;
@property(readonly) NSUInteger length;
@end

@protocol MTLDevice
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
@end

@protocol MTLEvent
@end
@protocol MTLSharedEvent <MTLEvent>
@end
@protocol MTLAccelerationStructure
@end
@protocol MTLCommandQueue
@end
@protocol MTLComputePipelineState
@end

@protocol MTLCommandBuffer
@property(readonly) MTLCommandBufferStatus status;
- (void)addCompletedHandler:(void (^)(id<MTLCommandBuffer>))handler;
- (void)encodeWaitForEvent:(id<MTLEvent>)event value:(unsigned long)value;
- (void)encodeSignalEvent:(id<MTLEvent>)event value:(unsigned long)value;
- (void)commit;
- (void)waitUntilCompleted;
@end
