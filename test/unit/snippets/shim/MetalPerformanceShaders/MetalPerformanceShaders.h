#pragma once
// Stands in for Apple's MetalPerformanceShaders: see ../Metal/Metal.h.

#import <Metal/Metal.h>

typedef enum : NSUInteger { MPSDataTypeFloat32 = 0x10000020 } MPSDataType;

@interface MPSMatrixDescriptor : NSObject
+ (instancetype)matrixDescriptorWithRows:(NSUInteger)rows
                                 columns:(NSUInteger)columns
                                rowBytes:(NSUInteger)rowBytes
                                dataType:(MPSDataType)dataType;
@end

@interface MPSMatrix : NSObject
- (instancetype)initWithBuffer:(id<MTLBuffer>)buffer descriptor:(MPSMatrixDescriptor *)descriptor;
@end
